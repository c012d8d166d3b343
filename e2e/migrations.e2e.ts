import { migrationRoundTrip } from './config/migration-round-trip';
import { onEachDatabase } from './config/matrix';

onEachDatabase("Flow's migrations", database => migrationRoundTrip(database, 'numbers'));
