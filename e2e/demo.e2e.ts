import { naming } from '../test/kit/naming';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_PORT, freePort } from '../test/servers/process';
import { AdminApi } from '../demo/admin-api';
import { recordErrors, runPipeline } from '../demo/watch';
import { Background } from './first-hour/terminal';

const root = join(__dirname, '..');
const demo = async (options: string): Promise<Background> => {
    const port = await freePort(FIRST_PORT);
    return new Background(`npm run demo -- --port ${port} ${options}`, root, process.env);
};

describe('the demo', () => {
    it('ends after the imports with --once, and reports how long each step took', async () => {
        const once = await demo('--once');
        await once.ended;
        expect(once.exitCode).toBe(0);
        expect(once.output).toMatch(naming('993 products'));
        expect(once.output.match(/^ {3}\(\d+\.\d s\)$/gm)).toHaveLength(5);
        expect(once.output).not.toContain('EBADENGINE');
    });

    it('ends with a file to upload and a pipeline that imports it', async () => {
        const shown = await demo('--no-dashboard');
        try {
            while (!shown.output.includes('Press Ctrl-C to stop.')) {
                if (!shown.isRunning) throw new Error(shown.output);
                await sleep(200);
            }
            const [, address, user, password] = /^Admin API: (\S+) \(user (\w+), password (\w+)\)$/m.exec(
                shown.output,
            )!;
            const [, file, code] = /^Upload (\S+), then start the pipeline "([\w-]+)"/m.exec(shown.output)!;
            const api = new AdminApi(address!);
            await api.login(user!, password!);
            await api.upload('price-list.csv', readFileSync(join(root, file!), 'utf8'));
            const run = await runPipeline(api, code!);
            expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsRead: 5, recordsRejected: 2 });
            expect(await recordErrors(api, run.id)).toMatchObject([{ path: 'price' }, { path: 'sku' }]);
            await shown.terminate();
        } finally {
            await shown.stop();
        }
    });
});
