import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ERRORS } from '../src/core/errors/catalogue';
import { Secret } from '../src/core/adapter/secret';
import { checkDefinition } from '../src/core/pipeline/parse';
import { webhook, type WebhookConfig } from '../src/core/triggers/webhook';
import { TaskQueue } from '../src/core/concurrency/task-queue';
import { authenticate } from '../src/io/webhooks/verify';
import { setUp } from '../src/plugin/setup';
import { guideBlocks } from './kit/guide-blocks';
import { buildsPipeline, pipelinesOf } from './kit/guide-pipelines';

jest.setTimeout(120_000);

const run = promisify(execFile);
const PAGE = 'docs/guide/webhooks.md';
const page = readFileSync(join(__dirname, '..', PAGE), 'utf8');
const blocks = guideBlocks.filter(({ place }) => place.startsWith(`${PAGE}:`));

const HOOK_SECRET = 'k3y with "quotes" & ümläute';
const STANDARD_SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const BODY = '[{"sku":"LAMP-1","name":"Süße \\"Lampe\\" $HOME `x` 😀","stock":12}]';

/** The program for the blocks of a language, and its arguments. */
const PROGRAMS: Readonly<Record<string, readonly [program: string, file: string]>> = {
    js: ['node', 'send.cjs'],
    python: ['python3', 'send.py'],
    php: ['php', 'send.php'],
    bash: ['bash', 'send.sh'],
};
const isThere = (program: string): boolean =>
    (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)));
const senders = blocks.filter(({ language }) => Object.hasOwn(PROGRAMS, language));
const needed = (language: string): readonly string[] =>
    language === 'bash' ? ['bash', 'openssl', 'curl'] : [PROGRAMS[language]![0]];
const runnable = senders.filter(({ language }) => needed(language).every(isThere));

describe('the guide on webhooks', () => {
    let server: Server;
    let folder: string;
    let received: Array<{
        readonly hmac: boolean;
        readonly standard: boolean;
        readonly body: string;
        readonly path: string;
    }>;

    beforeAll(async () => {
        folder = mkdtempSync(join(tmpdir(), 'flow-webhooks-'));
        server = createServer((request, response) => {
            const chunks: Buffer[] = [];
            request.on('data', (chunk: Buffer) => chunks.push(chunk));
            request.on('end', () => {
                const body = Buffer.concat(chunks);
                const judged = (authentication: string, value: string): Promise<boolean> =>
                    authenticate(
                        { headers: request.headersDistinct, body },
                        {
                            config: webhook.config.parse({ authentication, secretCode: 's' }) as WebhookConfig,
                            secrets: [new Secret('s', value)],
                            nowMs: Date.now(),
                        },
                        new TaskQueue(),
                    );
                void Promise.all([judged('HMAC', HOOK_SECRET), judged('STANDARD', STANDARD_SECRET)]).then(
                    ([hmac, standard]) => {
                        received.push({ hmac, standard, body: body.toString('utf8'), path: request.url ?? '' });
                        response.writeHead(202, { 'content-type': 'application/json' }).end('{"accepted":true}');
                    },
                );
            });
        });
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    });
    beforeEach(() => {
        received = [];
    });
    afterAll(() => {
        rmSync(folder, { recursive: true, force: true });
        server.closeAllConnections();
        server.close();
    });

    it('shows senders in Node, Python, PHP and with openssl', () => {
        expect(senders.map(({ language }) => language)).toEqual(['js', 'python', 'php', 'bash', 'js']);
        expect(runnable.map(({ language }) => language)).toEqual(expect.arrayContaining(['js', 'js']));
    });

    it.each(runnable.map(block => [`${block.language} at ${block.place}`, block] as const))(
        'has a sender whose request is accepted: %s',
        async (_, { language, text }) => {
            const [program, name] = PROGRAMS[language]!;
            const file = join(folder, name);
            writeFileSync(file, text);
            const { port } = server.address() as AddressInfo;
            const env = { ...process.env, NODE_OPTIONS: '', SHOP_URL: `http://127.0.0.1:${port}` };
            const { stdout } = await run(program, [file], { env: { ...env, HOOK_SECRET, STANDARD_SECRET, BODY } });
            expect(stdout).toContain('"accepted":true');
            const isStandard = text.includes('webhook-signature');
            expect(received).toEqual([
                { hmac: !isStandard, standard: isStandard, body: BODY, path: '/flow/webhook/stock-levels' },
            ]);
        },
    );

    it('shows valid pipelines, and the right names of their addresses', () => {
        const shown = blocks.filter(buildsPipeline).flatMap(pipelinesOf);
        const { registry } = setUp({});
        expect(shown.map(({ code, definition }) => [code, checkDefinition(definition, registry).issues])).toEqual([
            ['stock-levels', []],
            ['warehouse-stock', []],
        ]);
    });

    it('has a row for each answer, with existing codes, and the limits of the trigger', () => {
        const rows = [...page.matchAll(/^\| (\d{3}) +\| `(\w+)`/gm)].map(([, status, code]) => `${status} ${code}`);
        expect(rows).toEqual([
            '400 INPUT_INVALID',
            '401 WEBHOOK_REFUSED',
            '409 IDEMPOTENCY_CONFLICT',
            '413 BODY_TOO_LARGE',
            '413 RECORD_LIMIT',
            '415 MEDIA_TYPE_UNSUPPORTED',
            '429 RATE_LIMITED',
            '503 WEBHOOK_UNAVAILABLE',
        ]);
        for (const row of rows) expect(Object.keys(ERRORS)).toContain(row.slice(4));
        const { idempotencyTtlSec, rateLimit, idempotencyKeyHeader } = webhook.config.parse({
            authentication: 'NONE',
        }) as WebhookConfig;
        expect([idempotencyTtlSec, rateLimit, idempotencyKeyHeader]).toEqual([86_400, 600, 'X-Idempotency-Key']);
        for (const word of ['86,400 s', '(600;', '`X-Idempotency-Key`']) expect(page).toContain(word);
    });
});
