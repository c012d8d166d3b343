import { onOneDatabase } from './config/matrix';
import { fileShop } from './fixtures/file-shop';
import { files } from './suites/files.suite';
import { storedFiles } from './suites/stored-files.suite';

onOneDatabase('files', database => {
    const shop = fileShop(database);
    describe('managed files', () => files(shop, database));
    describe('stored files', () => storedFiles(shop, database));
});
