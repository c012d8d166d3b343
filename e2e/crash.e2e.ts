import { needs } from '../test/servers/needs';
import { survivesKills } from './crash/survives-kills';

needs('postgres', 'workers that die, on PostgreSQL with the SQL queue', () => survivesKills('sql'));
