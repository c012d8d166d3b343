import { onOneDatabase } from './config/matrix';
import { imports } from './suites/imports.suite';

onOneDatabase('imports', database => imports(database));
