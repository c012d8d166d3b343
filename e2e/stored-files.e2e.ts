import { onEachDatabase } from './config/matrix';
import { fileShop } from './fixtures/file-shop';
import { storedFiles } from './suites/stored-files.suite';

onEachDatabase('stored files', database => storedFiles(fileShop(database), database));
