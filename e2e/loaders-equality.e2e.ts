import { equality } from './fixtures/equality-suite';

describe('the product load on SQLite', () => equality('sqlite'));
