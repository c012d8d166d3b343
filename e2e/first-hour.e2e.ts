import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'graphql';
import { FIRST_PORT, freePort } from '../test/servers/process';
import { needs } from '../test/servers/needs';
import { type ScratchDatabase, scratchDatabase } from './config/databases';
import type { ServerConnection } from './config/vendure-config';
import { buildDashboardOf } from './first-hour/dashboard-build';
import { type Block, blocksOf } from './first-hour/guide';
import { compilerSays, configure, install, packed, withoutFlow, write, writeShop } from './first-hour/shop';
import { Background, Terminal } from './first-hour/terminal';

/**
 * The numbered steps of both guides, in their order. The first one's steps in the dashboard are in
 * test/installing-guide.spec.ts.
 */
const steps = ['installing', 'api-quickstart']
    .map(name => readFileSync(join(__dirname, `../docs/guide/${name}.md`), 'utf8'))
    .flatMap(guide => blocksOf(guide, heading => /^\d+\. /.test(heading)))
    .filter(({ mark }) => !mark?.startsWith('not run'));

type Answer = Readonly<Record<string, { readonly id?: string; readonly version?: number } & Record<string, unknown>>>;

/** Follows the guide block by block, as a user who pastes them would. */
class Reader {
    readonly terminals: Background[] = [];
    readonly answers: Record<string, Answer[string]> = {};
    readonly variables: Record<string, unknown> = {};
    private readonly terminal: Terminal;
    private readonly env: NodeJS.ProcessEnv;
    private token: string | undefined;

    constructor(
        private readonly folder: string,
        readonly url: string,
    ) {
        const { PATH, HOME } = process.env;
        this.env = { PATH, HOME, VENDURE_DISABLE_TELEMETRY: 'true' };
        this.terminal = new Terminal(folder, this.env);
    }

    async follow(block: Block): Promise<void> {
        if (block.language === 'ts') configure(this.folder, block);
        else if (block.language === 'graphql') await this.paste(block.text);
        else if (block.language === 'json') this.fillIn(block.text);
        else if (block.mark === 'in another terminal') await this.open(block.text);
        else if (block.language === 'sh') await this.type(block.text);
        else if (block.language === 'text') this.compare(block.text);
        else throw new Error(`There is no rule for a block of ${block.language}:\n${block.text}`);
    }

    async close(): Promise<void> {
        this.terminal.close();
        await Promise.all(this.terminals.map(terminal => terminal.stop()));
    }

    private async type(commands: string): Promise<void> {
        if (commands === 'npm install vendure-plugin-flow\n')
            return install(await packed(join(this.folder, '..')), this.folder);
        const printed = await this.terminal.run(commands.replaceAll('http://localhost:3000', this.url));
        if (printed.startsWith('{')) {
            const { file } = JSON.parse(printed) as { readonly file: { readonly id: string } };
            this.variables['fileId'] = file.id;
        }
        const token = (await this.terminal.run('echo "${TOKEN:-}"')).trim();
        if (token !== '') this.token = token;
    }

    /** The first terminal runs the server, which has to respond before the next step. */
    private async open(command: string): Promise<void> {
        const terminal = new Background(command, this.folder, this.env);
        this.terminals.push(terminal);
        for (;;) {
            const answer = await fetch(`${this.url}/health`).catch(() => undefined);
            if (answer?.ok) return;
            if (!terminal.isRunning) throw new Error(`This ended:\n${command}\n${terminal.output}`);
            await sleep(200);
        }
    }

    /** The lines that the server prints according to the guide. */
    private compare(text: string): void {
        for (const line of text.trimEnd().split('\n')) expect(this.terminals[0]!.output).toContain(line);
    }

    private fillIn(text: string): void {
        const fileId = JSON.stringify(this.variables['fileId']);
        Object.assign(this.variables, JSON.parse(text.replace('"FILE_ID"', fileId)));
    }

    /** The variables are ids from earlier responses. A query for a run is repeated until the run has ended. */
    private async paste(query: string): Promise<void> {
        this.token ??= await this.superadmin();
        for (;;) {
            const [name, answer] = Object.entries(await this.ask(query, this.variables))[0]!;
            this.answers[name] = answer;
            if (name === 'createRole') this.variables['roleId'] = answer.id;
            if (name === 'createFlowPipeline')
                Object.assign(this.variables, { id: answer.id, version: answer.version });
            if (/Run$|^dryRun/.test(name) && answer.id !== undefined) this.variables['runId'] = answer.id;
            if (answer['status'] !== 'PENDING' && answer['status'] !== 'RUNNING') return;
            await sleep(100);
        }
    }

    async ask(query: string, given: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
        const [operation] = parse(query).definitions;
        const desired = operation?.kind === 'OperationDefinition' ? (operation.variableDefinitions ?? []) : [];
        const variables = Object.fromEntries(
            desired.map(({ variable }) => [variable.name.value, given[variable.name.value]]),
        );
        const response = await fetch(`${this.url}/admin-api`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${this.token ?? ''}` },
            body: JSON.stringify({ query, variables }),
        });
        const { data, errors } = (await response.json()) as { readonly data: Answer; readonly errors?: unknown };
        if (errors !== undefined) throw new Error(`${query}\n${JSON.stringify(errors)}`);
        return data;
    }

    private async superadmin(): Promise<string | undefined> {
        const query = 'mutation { login(username: "superadmin", password: "superadmin") { __typename } }';
        const response = await fetch(`${this.url}/admin-api`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query }),
        });
        return response.headers.get('vendure-auth-token') ?? undefined;
    }
}

/** Most of it is needed to compile the package, which takes longer on a busy machine. */
const PATIENCE_MS = 540_000;

needs('postgres', 'the guide of installing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'flow-first-hour-'));
    const shop = join(folder, 'shop');
    let scratch: ScratchDatabase | undefined;
    let reader: Reader;

    beforeAll(async () => {
        scratch = await scratchDatabase('postgres', 'plain');
        const database = new URL((scratch.connection as ServerConnection<'postgres'>).url);
        await withoutFlow(database);
        const port = await freePort(FIRST_PORT);
        writeShop(shop, { port, database });
        reader = new Reader(shop, `http://127.0.0.1:${port}`);
    });
    afterAll(async () => {
        await reader?.close();
        await scratch?.drop();
        rmSync(folder, { recursive: true, force: true });
    });

    it(
        'leads from a shop without Flow to its first import',
        async () => {
            for (const step of steps) await reader.follow(step);
            const { answers } = reader;
            expect(answers['createFlowPipeline']).toMatchObject({ workingCopy: { issues: [] } });
            expect(answers['flowPipelineRun']).toEqual({
                status: 'COMPLETED',
                outcome: 'PARTIAL',
                recordsRead: 3,
                recordsLoaded: 2,
                recordsRejected: 1,
                error: null,
            });
            expect(answers['flowRecordErrors']).toMatchObject({ items: [{ stepKey: 'to-product', path: 'price' }] });
            const { products } = await reader.ask(
                '{ products(options: { sort: { name: ASC } }) { items { name variants { sku price stockOnHand } } } }',
            );
            expect(products).toEqual({
                items: [
                    { name: 'Desk lamp', variants: [{ sku: 'LAMP-7', price: 4900, stockOnHand: 7 }] },
                    { name: 'Enamel mug', variants: [{ sku: 'MUG-01', price: 1250, stockOnHand: 40 }] },
                ],
            });
            const [server] = reader.terminals;
            expect(server!.output).toContain('Successfully ran migration: CreateFlowTables1763683200000');
            expect(server!.output).not.toMatch(/^error /m);
        },
        PATIENCE_MS,
    );

    it('has a configuration that compiles in the shop', async () => {
        expect(await compilerSays(shop)).toBe('');
    });

    it(
        "has a dashboard with Flow's pages, which adds little to the first page",
        async () => {
            const { first, firstOfFlow, laterOfFlow, pages, drawing } = await buildDashboardOf(shop);
            const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
            process.stdout.write(
                `The first page of the dashboard: ${kilobytes(first)}, ${kilobytes(firstOfFlow)} of them Flow's; its pages load ${kilobytes(laterOfFlow)} more.\n`,
            );
            expect(pages).toEqual(
                expect.arrayContaining(['editor', 'new-pipeline', 'overview', 'pipelines', 'record-errors', 'run']),
            );
            expect(drawing.first).toEqual([]);
            expect(drawing.later).toEqual(
                expect.arrayContaining([
                    '@codemirror/lang-javascript',
                    '@codemirror/view',
                    '@dagrejs/dagre',
                    '@xyflow/react',
                ]),
            );
            // Routes, navigation and texts, but no page.
            expect(firstOfFlow).toBeGreaterThan(0);
            expect(firstOfFlow).toBeLessThan(first / 50);
        },
        PATIENCE_MS,
    );

    it('reports before anything runs what a migration does that creates the tables again', async () => {
        const again = 'src/migrations/1800000000000-again.ts';
        write(
            join(shop, again),
            `export class Again1800000000000 { async up(runner) { await runner.query(\`CREATE TABLE "flow_log" ("id" int)\`); } async down() {} }\n`,
        );
        const server = new Background('npm run dev:server', shop, process.env);
        while (server.isRunning && !/already exists|now running/.test(server.output)) await sleep(100);
        await server.stop();
        expect(server.output).toContain('MIGRATION_DUPLICATE');
        expect(server.output).toContain(again);
        expect(server.output).not.toContain('already exists');
    });
});
