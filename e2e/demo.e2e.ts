import { said } from '../test/kit/said';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_PORT, freePort } from '../test/servers/process';
import { Background, Terminal } from './first-hour/terminal';

const root = join(__dirname, '..');
const demo = async (options: string): Promise<Background> => {
    const port = await freePort(FIRST_PORT);
    return new Background(`npm run demo -- --port ${port} ${options}`, root, process.env);
};

interface Seen {
    readonly flowPipelineRun: unknown;
    readonly flowRecordErrors: { readonly items: readonly unknown[] };
}

describe('the demo', () => {
    it('ends well where it is to end after the imports', async () => {
        const once = await demo('--once');
        await once.ended;
        expect(once.exitCode).toBe(0);
        expect(once.output).toContain(said('the-shop-has-products-now', { count: '993' }));
        expect(once.output).not.toContain('EBADENGINE');
    });

    it('ends by saying what to do next, in commands that work as they are pasted', async () => {
        const shown = await demo('--no-dashboard');
        const terminal = new Terminal(root, process.env);
        try {
            while (!shown.output.includes('Ctrl-C ends it.')) {
                if (!shown.isRunning) throw new Error(shown.output);
                await sleep(200);
            }
            const [, next] = shown.output.split('What next?');
            const commands = next!.split('\n').filter(line => line.startsWith('    '));
            const paste = async (count: number): Promise<readonly string[]> => {
                const answers: string[] = [];
                for (const command of commands.splice(0, count)) answers.push(await terminal.run(command));
                return answers;
            };
            const [, , uploaded] = await paste(3);
            expect(JSON.parse(uploaded!)).toMatchObject({
                success: true,
                file: { id: '2', filename: 'price-list.csv' },
            });
            const [start, look] = commands.splice(0, 2) as [string, string];
            // Whoever looks too soon looks once more.
            const runAndLook = async (): Promise<Seen> => {
                expect(await terminal.run(start)).toMatch(/^run \d+$/m);
                for (;;) {
                    const { data } = JSON.parse(await terminal.run(look)) as { readonly data: Seen };
                    if (!/PENDING|RUNNING/.test(JSON.stringify(data.flowPipelineRun))) return data;
                }
            };
            const first = await runAndLook();
            expect(first.flowPipelineRun).toMatchObject({
                status: 'COMPLETED',
                outcome: 'PARTIAL',
                recordsRead: 5,
                recordsLoaded: 3,
                recordsRejected: 2,
            });
            expect(first.flowRecordErrors.items).toMatchObject([{ path: 'price' }, { path: 'sku' }]);

            const [, corrected, , published] = await paste(4);
            expect(commands).toEqual([]);
            expect(corrected).toMatch(/^file 3$/m);
            expect(JSON.parse(published!)).toMatchObject({
                data: { publishFlowPipeline: { revision: { number: 2 }, workingCopy: { issues: [] } } },
            });
            const second = await runAndLook();
            expect(second.flowPipelineRun).toMatchObject({ recordsRead: 5, recordsLoaded: 1, recordsRejected: 1 });
            expect(second.flowRecordErrors.items).toMatchObject([{ path: 'sku' }]);

            await shown.terminate();
        } finally {
            terminal.close();
            await shown.stop();
        }
    });
});
