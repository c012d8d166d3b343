import { migrationRoundTrip } from './config/migration-round-trip';
import { onEachDatabase } from './config/matrix';

// A separate file, since a process keeps the kind of ids that it used first.
onEachDatabase("Flow's migrations in a shop with UUIDs", database => migrationRoundTrip(database, 'uuids'));
