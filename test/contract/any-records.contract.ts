import fc from 'fast-check';
import { onLoaderShop } from '../../e2e/config/loader-shop';
import { LoaderBench } from '../../src/testing/loader-bench';
import { bearsRecords } from '../../src/testing/loader-contract';
import { recordsFor } from '../kit/fuzz';

onLoaderShop('random records for every loader on one shop', (loader, shop) => {
    it('survives any record, and loads the other records of the batch', async () => {
        const bench = new LoaderBench(loader, shop);
        const sound = bench.examples.filter(({ does }) => !does.includes('reject'));
        const records = fc.array(recordsFor(sound.flatMap(example => example.in)), { maxLength: 12 });
        // A loader that takes records one by one, each in a separate transaction, is tested with fewer of them.
        await fc.assert(
            fc.asyncProperty(fc.constantFrom(...sound), records, async (example, hostile) => {
                await bearsRecords(bench, { example, records: hostile });
            }),
            { numRuns: loader.through === 'services' ? 5 : 12 },
        );
    });
});
