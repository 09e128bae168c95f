import { Client } from 'pg';

/**
 * What `distribute` needs of Citus, in a database of a test: its version, its tables of distributed tables and shards,
 * and `create_distributed_table`, which checks its arguments and notes the call. It distributes nothing. The stub is no
 * extension named citus: a loaded Citus library would take this database for one of its own.
 */
export async function installCitusStub(databaseUrl: string | null): Promise<void> {
  const client = new Client({ connectionString: databaseUrl ?? '' });
  await client.connect();
  try {
    for (const statement of STUB) await client.query(statement);
  } finally {
    await client.end();
  }
}

const STUB = [
  `CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql AS $$ SELECT 'Citus 13.2.2 on a stand-in' $$`,
  'CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigserial)',
  `CREATE TABLE pg_dist_partition (
     logicalrelid regclass, partmethod "char", partkey text, colocationid int, call_order serial)`,
  // As in Citus, every role may ask how a table is distributed.
  'GRANT SELECT ON pg_dist_partition TO PUBLIC',
  'CREATE SEQUENCE colocation START 11',
  `CREATE FUNCTION column_to_column_name(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT $2'`,
  `CREATE FUNCTION create_distributed_table(table_name regclass, distribution_column text,
     distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default', shard_count int DEFAULT NULL)
   RETURNS void LANGUAGE plpgsql AS $$
   DECLARE unkeyed int; colocation int;
   BEGIN
     IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = table_name) THEN
       RAISE EXCEPTION 'table % is already distributed', table_name;
     END IF;
     -- As Citus: "cannot create constraint: distributed relations need the partition column in unique keys".
     SELECT count(*) INTO unkeyed FROM pg_index i WHERE i.indrelid = table_name AND i.indisunique
       AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = table_name AND a.attname = distribution_column
         AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1]));
     IF unkeyed > 0 THEN
       RAISE EXCEPTION 'unique indexes on non-partition columns of %', table_name;
     END IF;
     IF colocate_with = 'none' THEN
       colocation := nextval('colocation');
     ELSE
       SELECT colocationid INTO STRICT colocation FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass;
     END IF;
     INSERT INTO pg_dist_partition (logicalrelid, partmethod, partkey, colocationid)
     VALUES (table_name, 'h', distribution_column, colocation);
     INSERT INTO pg_dist_shard (logicalrelid) SELECT table_name FROM generate_series(1, coalesce(shard_count, 32));
   END $$`,
];
