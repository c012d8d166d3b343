import { needs } from '../test/servers/needs';
import { dryRunsOfManySlices } from './crash/crash-suite';

jest.setTimeout(600_000);

needs('postgres', 'dry runs of many slices, on PostgreSQL with the SQL queue', () => {
    dryRunsOfManySlices({ queue: 'sql' });
});
