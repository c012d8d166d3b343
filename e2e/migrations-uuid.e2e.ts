import { needs } from '../test/servers/needs';
import { migrationRoundTrip } from './config/migration-round-trip';

// A file of its own: a process keeps to the kind of ids that it met first.
describe("Flow's migrations in a shop with UUIDs on SQLite", () => migrationRoundTrip('sqlite', 'uuids'));
needs('postgres', "Flow's migrations in a shop with UUIDs on PostgreSQL", () =>
    migrationRoundTrip('postgres', 'uuids'),
);
needs('mariadb', "Flow's migrations in a shop with UUIDs on MariaDB", () => migrationRoundTrip('mariadb', 'uuids'));
