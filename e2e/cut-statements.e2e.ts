import { needs } from '../test/servers/needs';
import { runsWithCutStatements } from './crash/statement-suite';

jest.setTimeout(600_000);

needs('postgres', 'runs whose connection is cut at a statement, on PostgreSQL', () =>
    runsWithCutStatements('postgres'),
);
