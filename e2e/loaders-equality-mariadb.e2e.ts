import { needs } from '../test/servers/needs';
import { equality } from './fixtures/equality-suite';

needs('mariadb', 'the product load on MariaDB', () => equality('mariadb'));
