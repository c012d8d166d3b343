import { platformOf } from '../../e2e/config/load-harness';
import { type RunningServer, testServer } from '../../e2e/config/test-server';
import { setUp } from '../../src/plugin/setup';
import { extractorContract } from '../../src/testing/extractor-contract';
import { openLoaderTestRun } from '../../src/testing/loader-test-run';
import { needs } from '../servers/needs';

const { registry } = setUp({});
const extractors = registry.list('extractor').filter(({ readsShop }) => readsShop);

// Every extractor that reads a shop is found by itself, and declares what the shop needs for its examples.
needs('postgres', 'every extractor that reads a shop, on one', () => {
    let server: RunningServer;
    beforeAll(async () => {
        server = await testServer('postgres', { jobs: 'none' });
        const platform = await platformOf(server.app);
        for (const { examples = [] } of extractors)
            for (const { shop = {} } of examples)
                for (const [code, records] of Object.entries(shop))
                    await (
                        await openLoaderTestRun({ loader: registry.get('loader', code), platform })
                    )(records);
    });
    afterAll(() => server?.destroy());

    it('is tested', () => expect(extractors.map(({ code }) => code)).toContain('platformQuery'));

    it.each(extractors.map(extractor => [extractor.code, extractor] as const))(
        '%s fulfils it',
        async (_, extractor) => {
            const platform = await platformOf(server.app);
            const checks = extractorContract(extractor, { platform });
            expect(checks.length).toBeGreaterThan(10);
            const failed: string[] = [];
            for (const { name, run } of checks)
                await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
            expect(failed).toEqual([]);
        },
    );
});
