-- Requests run as a role of their own, which sees and writes only rows of the tenants named by app.tenants, a
-- setting of the transaction: "1,3". Roles belong to the whole cluster, so other databases may have made it already,
-- or be making it now.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'audit_activity_service') THEN
    RETURN;
  END IF;
  CREATE ROLE audit_activity_service NOLOGIN;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'The role audit_activity_service is missing, and % may not make it. Have an administrator run: CREATE ROLE audit_activity_service NOLOGIN; GRANT audit_activity_service TO %;',
      current_user, quote_ident(current_user);
END $$;

-- For whoever migrates and serves with one login. Where it may not be granted here, the start of the service says so.
DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'audit_activity_service', 'USAGE') THEN
    EXECUTE format('GRANT audit_activity_service TO %I', current_user);
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
END $$;

-- Every table with rows of tenants. The sub-select makes PostgreSQL read the setting once for a statement, not for
-- each row. FORCE binds the owner too, who is let through for migrations and background tasks by a policy of his own.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['audit_event', 'audit_dim', 'audit_delta', 'audit_count', 'audit_segment', 'audit_word',
    'audit_unindexed', 'retention_run', 'audit_source', 'audit_gap', 'audit_log_queue', 'audit_log_tile',
    'audit_log_place', 'audit_log_head', 'audit_log_checkpoint', 'audit_log_backlog']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

-- What requests need. Partitions are reached through audit_event alone.
GRANT SELECT ON audit_dim, audit_count, audit_segment, audit_word, retention_run, audit_log_queue, audit_log_tile,
  audit_log_place, audit_log_head, audit_log_checkpoint, audit_log_backlog, _prisma_migrations TO audit_activity_service;

GRANT INSERT ON audit_log_queue TO audit_activity_service;

GRANT SELECT, INSERT ON audit_event, audit_delta, access_log TO audit_activity_service;

GRANT SELECT, INSERT, UPDATE ON tenant, api_key, audit_source, audit_gap TO audit_activity_service;

GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard_session, export_lease TO audit_activity_service;

-- Under row-level security an index serves only conditions that PostgreSQL knows to leak nothing, and "contains" is
-- not one of them. So this question is asked by the owner, who keeps to the same tenants. tenant_id + 0: the entries
-- name the tenant themselves, and no other index is as good as theirs.
DO $migration$
BEGIN
  EXECUTE format('CREATE FUNCTION audit_hours_of_single(tenant int, single text) RETURNS TABLE (hour int)
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED ROWS 100 SET search_path = pg_catalog AS $function$
    BEGIN
      RETURN QUERY SELECT s.hour FROM %I.audit_segment s
        WHERE s.singles @> ARRAY[single] AND s.tenant_id + 0 = tenant
          AND tenant = ANY (string_to_array(current_setting(''app.tenants'', true), '','')::int[]);
    END $function$', current_schema());
END $migration$;

REVOKE EXECUTE ON FUNCTION audit_hours_of_single(int, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION audit_hours_of_single(int, text) TO audit_activity_service;
