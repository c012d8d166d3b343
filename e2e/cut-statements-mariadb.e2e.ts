import { needs } from '../test/servers/needs';
import { runsWithCutStatements } from './crash/statement-suite';

jest.setTimeout(600_000);

needs('mariadb', 'runs whose connection is cut at a statement, on MariaDB', () => runsWithCutStatements('mariadb'));
