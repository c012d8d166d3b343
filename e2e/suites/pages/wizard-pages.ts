import type { BrowserShop } from '../../config/browser-shop';
import { useEuros } from '../import-wizard';
import { exportAgain } from './export-again';
import { importSources } from './import-sources';
import { importWindows } from './import-windows';
import { knownExports } from './known-exports';

/** The import wizard and the export wizard in further situations. */
export function wizardPages(open: () => BrowserShop): void {
    beforeAll(() => useEuros(open().shop));
    describe('an import in two windows', () => importWindows(open));
    describe('sources of the import wizard', () => importSources(open));
    describe('known exports in the import wizard', () => knownExports(open));
    describe('an export', () => exportAgain(open));
}
