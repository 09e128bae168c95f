#!/bin/sh
# PostgreSQL's image runs this once, on an empty data folder. It makes the logins and the database of docs/operate.md.
set -eu
psql --set=ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
  --set=owner="$OWNER_PASSWORD" --set=requests="$REQUESTS_PASSWORD" <<'SQL'
CREATE ROLE audit_activity_service NOLOGIN;
CREATE ROLE audit_owner LOGIN PASSWORD :'owner';
CREATE ROLE audit_requests LOGIN PASSWORD :'requests';
GRANT audit_activity_service TO audit_owner, audit_requests;
CREATE DATABASE audit OWNER audit_owner;
SQL
