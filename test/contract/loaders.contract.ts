import { onLoaderShop } from '../../e2e/config/loader-shop';
import { redactedMessage } from '../../src/core/errors/redacted-text';
import { LoaderBench } from '../../src/testing/loader-bench';
import { loaderContract } from '../../src/testing/loader-contract';
import { spoilt, tellsSecret } from '../kit/spoilt-records';

// Every loader of Flow is found by itself, and brings its examples.
onLoaderShop('every loader on one shop', (loader, shop) => {
    for (const { name, run } of loaderContract(loader, shop)) it(name, run);

    it('says what is wrong with a record without its values to those who may not read records', async () => {
        const bench = new LoaderBench(loader, shop);
        let told = 0;
        for (const example of bench.examples) {
            const load = await bench.open(example, 'dryRun');
            for (const record of example.in) {
                const { changes } = await load(spoilt(record));
                for (const change of changes) {
                    if (change.action !== 'reject') continue;
                    if (tellsSecret(change.error.message)) told++;
                    const masked = redactedMessage(change.error);
                    if (tellsSecret(masked))
                        throw new Error(`${change.error.message} still contains the value when masked: ${masked}`);
                }
            }
        }
        expect(told).toBeGreaterThan(0);
    });
});
