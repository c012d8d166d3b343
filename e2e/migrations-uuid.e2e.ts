import { migrationRoundTrip } from './config/migration-round-trip';
import { onEachDatabase } from './config/matrix';

// A file of its own: a process keeps to the kind of ids that it met first.
onEachDatabase("Flow's migrations in a shop with UUIDs", database => migrationRoundTrip(database, 'uuids'));
