import { needs } from '../test/servers/needs';
import { equality } from './fixtures/equality-suite';

needs('postgres', 'the product load on PostgreSQL', () => equality('postgres'));
