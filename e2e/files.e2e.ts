import { onOneDatabase } from './config/matrix';
import { fileShop } from './fixtures/file-shop';
import { files } from './suites/files.suite';

onOneDatabase('managed files', database => files(fileShop(database), database));
