import gql from 'graphql-tag';
import { until } from '../config/flow-server';
import { priceList } from '../fixtures/price-list';
import type { CrashBench } from './crash-bench';
import { PATIENCE_MS } from './import';

/** A check as the import page reads it. */
export interface CheckAnswer {
    readonly runId: string;
    readonly isCurrent: boolean;
    readonly rows: number;
    readonly totalRows: number;
    readonly created: number;
    readonly rejected: number;
    readonly causes: ReadonlyArray<{ readonly code: string; readonly rows: number }>;
    readonly run: {
        readonly status: string;
        readonly attempt: number;
        readonly error: { readonly code: string } | null;
    };
}

const CHECK = `runId isCurrent rows totalRows created rejected causes { code rows } run { status attempt error { code } }`;

/** The import of a price list, whose checks are executed by workers that die. */
export class CheckedImport {
    private constructor(
        private readonly bench: CrashBench,
        private readonly draftId: string,
    ) {}

    static async open(bench: CrashBench, rows: number): Promise<CheckedImport> {
        const { shop } = bench;
        const { adminClient } = shop;
        // The currency of the price list.
        await adminClient.query(gql`
            mutation {
                updateChannel(input: { id: "T_1", availableCurrencyCodes: [EUR, USD], defaultCurrencyCode: EUR }) {
                    __typename
                }
            }
        `);
        const form = new FormData();
        form.append('file', new Blob([priceList(rows)]), 'prices.csv');
        const headers = { Authorization: `Bearer ${adminClient.getAuthToken()}` };
        const uploaded = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers, body: form });
        const { file } = (await uploaded.json()) as { readonly file: { readonly id: string } };
        const { flowImportProfile: profile } = await adminClient.query(
            gql`query Profile($fileId: ID!) { flowImportProfile(fileId: $fileId) { id } }`,
            { fileId: file.id },
        );
        const { flowImportSuggestion: suggestion } = await adminClient.query(
            gql`query Suggestion($id: String!) { flowImportSuggestion(profileId: $id, target: PRODUCTS) { plan } }`,
            { id: profile.id },
        );
        const { saveFlowImportDraft: draft } = await adminClient.query(
            gql`mutation Save($input: SaveFlowImportDraftInput!) { saveFlowImportDraft(input: $input) { id } }`,
            { input: { profileId: profile.id, plan: suggestion.plan, step: 'CHECK' } },
        );
        return new CheckedImport(bench, draft.id as string);
    }

    async begin(): Promise<CheckAnswer> {
        const { checkFlowImport } = await this.bench.shop.adminClient.query(
            gql`mutation Check($id: ID!) { checkFlowImport(draftId: $id) { ${CHECK} } }`,
            { id: this.draftId },
        );
        return checkFlowImport as CheckAnswer;
    }

    async check(): Promise<CheckAnswer> {
        const { flowImportCheck } = await this.bench.shop.adminClient.query(
            gql`query Checked($id: ID!) { flowImportCheck(draftId: $id) { ${CHECK} } }`,
            { id: this.draftId },
        );
        return flowImportCheck as CheckAnswer;
    }

    /** Kills the worker when this attempt has read some rows, but not all. Resolves when another worker is at work. */
    async killWorker(attempt: number): Promise<void> {
        const { crew } = this.bench;
        await crew.working();
        crew.bootAhead();
        await until(
            () => this.check(),
            ({ rows, run }) => run.attempt === attempt && run.status === 'RUNNING' && rows > 0,
            PATIENCE_MS,
        );
        await (await crew.working()).kill('SIGKILL');
        await this.bench.endLeases();
        await crew.relieve();
    }

    ended(): Promise<CheckAnswer> {
        return until(
            () => this.check(),
            ({ run }) => ['COMPLETED', 'FAILED', 'CANCELLED'].includes(run.status),
            PATIENCE_MS,
        );
    }
}
