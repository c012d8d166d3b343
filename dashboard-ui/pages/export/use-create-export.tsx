import { Trans } from '@lingui/react/macro';
import { api, usePermissions } from '@vendure/dashboard';
import { type ReactNode, useRef } from 'react';
import type { ResultOf, VariablesOf } from '../../gql/graphql';
import { faultOf } from '../../ground/fault';
import { type ConfirmedHost, useLetRun } from '../../parts/secret-hosts';
import { codeOfName } from '../new-pipeline/code-of-name';
import { compileExport, exportCodeOf } from './compile-export';
import {
    createExportDocument,
    exportFeedDocument,
    publishExportDocument,
    startExportDocument,
    submitExportDocument,
    updateExportDocument,
} from './export.graphql';
import type { ExportPlan, ExportShop } from './export-plan';

/** The pipeline that was made of the plan, with its run. */
export interface ExportResult {
    readonly pipelineId: string;
    readonly exportCode: string;
    /** Absent if the pipeline waits for approval. */
    readonly runId?: string;
    /** The path of the feed; it is not shown again. */
    readonly feedPath?: string;
}

interface Creating {
    readonly name: string;
    readonly plan: ExportPlan;
    readonly shop: ExportShop;
    readonly onDone: (result: ExportResult) => void;
}

interface CreatesExport {
    readonly press: () => void;
    readonly isPending: boolean;
    /** The dialog that confirms new hosts of secrets. */
    readonly dialog: ReactNode;
}

type Made = ResultOf<typeof createExportDocument>['createFlowPipeline'];

/** Numbers that are tried if a code is taken. */
const MAX_NUMBER = 9;
/** Of a code before its number or time. */
const MAX_BASE = 40;

/**
 * Creates the pipeline, publishes and starts it, or submits it if the user may not publish. If a step fails, the next attempt continues with the same
 * pipeline.
 */
export function useCreateExport({ name, plan, shop, onDone }: Creating): CreatesExport {
    const { hasPermissions } = usePermissions();
    const made = useRef<Made>(undefined);
    /** The definition and name that were published. */
    const published = useRef<string>(undefined);
    const create = async (allowSecretHosts: ConfirmedHost[]): Promise<void> => {
        const definition = compileExport(plan, shop);
        const text = JSON.stringify([name, definition]);
        const isPublished = published.current === text;
        if (!isPublished) made.current = await savePipeline(name, definition, made.current);
        const { id, code, version } = made.current!;
        const exportCode = exportCodeOf(code);
        if (!hasPermissions(['PublishFlowPipeline'])) {
            await api.mutate(submitExportDocument, { id, version });
            return onDone({ pipelineId: id, exportCode });
        }
        if (!isPublished) {
            const { publishFlowPipeline } = await api.mutate(publishExportDocument, { id, version, allowSecretHosts });
            made.current = { ...made.current!, version: publishFlowPipeline.version };
            published.current = text;
        }
        const { startFlowPipelineRun: run } = await api.mutate(startExportDocument, { id });
        const feedPath = plan.destination === 'FEED' ? await createFeed(exportCode, name) : undefined;
        onDone({ pipelineId: id, exportCode, runId: run.id, ...(feedPath !== undefined && { feedPath }) });
    };
    return useLetRun({
        letRun: create,
        onDone: () => undefined,
        allow: <Trans>Allow and export</Trans>,
    });
}

async function createFeed(exportCode: string, name: string): Promise<string> {
    const input: VariablesOf<typeof exportFeedDocument>['input'] = { exportCode, name };
    const { createFlowFeed } = await api.mutate(exportFeedDocument, { input });
    return createFlowFeed.path;
}

async function savePipeline(name: string, definition: unknown, made: Made | undefined): Promise<Made> {
    if (made) {
        const input: VariablesOf<typeof updateExportDocument>['input'] = {
            id: made.id,
            version: made.version,
            name,
            definition,
        };
        return (await api.mutate(updateExportDocument, { input })).updateFlowPipeline;
    }
    const base = (codeOfName(name) || 'export').slice(0, MAX_BASE);
    for (let n = 1; ; n++) {
        // Exports with the same name differ in lists by their number, and later by their time.
        const suffix = n <= MAX_NUMBER ? String(n) : new Date().toISOString().slice(0, 19).replace('T', ' ');
        const code = n === 1 ? base : `${base}-${suffix.replace(/\D+/g, '-')}`;
        const named = n === 1 ? name : `${name} (${suffix})`;
        try {
            const input: VariablesOf<typeof createExportDocument>['input'] = { code, name: named, definition };
            return (await api.mutate(createExportDocument, { input })).createFlowPipeline;
        } catch (error) {
            if (n > MAX_NUMBER || faultOf(error).code !== 'CODE_TAKEN') throw error;
        }
    }
}
