import { said } from '../test/kit/said';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/servers/process';
import { Background, Terminal } from './first-hour/terminal';

const root = join(__dirname, '..');
const demo = async (options: string): Promise<Background> => {
    const port = await freePort(10_000 + (process.pid % 500) * 40);
    const command = `"${process.execPath}" scripts/demo.mjs --port ${port} ${options}`;
    return new Background(command, root, process.env);
};

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
            const answers: string[] = [];
            for (const command of commands) answers.push(await terminal.run(command));
            const [, , uploaded, started, seen] = answers;
            expect(JSON.parse(uploaded!)).toMatchObject({
                success: true,
                file: { id: '1', filename: 'price-list.csv' },
            });
            expect(readFileSync(join(root, '.flow-demo/price-list.csv'), 'utf8')).toContain('Folding Kettle');
            expect(JSON.parse(started!)).toMatchObject({ data: { startFlowPipelineRun: { status: 'PENDING' } } });
            // Whoever pastes the last one too soon pastes it once more.
            let told = JSON.parse(seen!) as {
                readonly data: { readonly flowPipelineRuns: { readonly items: unknown[] } };
            };
            while (/PENDING|RUNNING/.test(JSON.stringify(told)))
                told = JSON.parse(await terminal.run(commands.at(-1)!)) as typeof told;
            expect(told.data.flowPipelineRuns.items[0]).toMatchObject({
                status: 'COMPLETED',
                outcome: 'PARTIAL',
                recordsRead: 5,
                recordsLoaded: 3,
                recordsRejected: 2,
            });
        } finally {
            terminal.close();
            await shown.stop();
        }
    });
});
