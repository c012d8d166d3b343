import { needs } from '../test/servers/needs';
import { migrationRoundTrip } from './config/migration-round-trip';

describe("Flow's migrations on SQLite", () => migrationRoundTrip('sqlite', 'numbers'));
needs('postgres', "Flow's migrations on PostgreSQL", () => migrationRoundTrip('postgres', 'numbers'));
needs('mariadb', "Flow's migrations on MariaDB", () => migrationRoundTrip('mariadb', 'numbers'));
