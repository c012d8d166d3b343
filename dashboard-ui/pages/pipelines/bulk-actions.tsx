import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { api, type BulkActionComponent, DataTableBulkActionItem, usePaginatedList } from '@vendure/dashboard';
import { FileJsonIcon, FileTextIcon, type LucideIcon, PlayIcon, PowerIcon, PowerOffIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { faultOf } from '../../ground/fault';
import { saveText } from '../../parts/save-text';
import { startsByHand } from '../../parts/trigger-text';
import type { PipelineRow } from './cells';
import {
    disablePipelineDocument,
    enablePipelineDocument,
    exportPipelineDocument,
    startRunDocument,
} from './pipelines.graphql';

interface ForEachProps {
    readonly selection: readonly PipelineRow[];
    readonly icon: LucideIcon;
    readonly label: string;
    readonly confirmation?: (count: number) => string;
    readonly done: (count: number) => string;
    readonly permissions: readonly string[];
    /** Those of the chosen ones that it is for. */
    readonly suits?: (row: PipelineRow) => boolean;
    readonly act: (row: PipelineRow) => Promise<unknown>;
    readonly onDone: () => void;
}

/** Does one thing with each of the chosen pipelines, and says of how many it came off and why not of the others. */
function ForEach({
    selection,
    icon,
    label,
    confirmation,
    done,
    permissions,
    suits,
    act,
    onDone,
}: ForEachProps): ReactNode {
    const { t } = useLingui();
    const { refetchPaginatedList } = usePaginatedList();
    const fitting = selection.filter(row => suits?.(row) ?? true);
    const doAll = async (): Promise<void> => {
        const refused: string[] = [];
        for (const row of fitting) {
            try {
                await act(row);
            } catch (error) {
                refused.push(`${row.name}: ${faultOf(error).message}`);
            }
        }
        const count = fitting.length - refused.length;
        if (count > 0) toast.success(done(count));
        if (refused.length > 0)
            toast.error(t`${plural(refused.length, { one: '# was rejected', other: '# were rejected' })}`, {
                description: refused.slice(0, 5).join('\n'),
                duration: 15_000,
            });
        refetchPaginatedList();
        onDone();
    };
    return (
        <DataTableBulkActionItem
            icon={icon}
            label={label}
            confirmationText={confirmation?.(fitting.length)}
            requiresPermission={[...permissions]}
            disabled={fitting.length === 0}
            onClick={() => void doAll()}
        />
    );
}

/** Starts a run of each. */
export const RunAction: BulkActionComponent<PipelineRow> = ({ selection, table }) => {
    const { t } = useLingui();
    return (
        <ForEach
            selection={selection}
            icon={PlayIcon}
            label={t({ message: 'Run', context: 'do' })}
            confirmation={count =>
                t`${plural(count, { one: 'Starts a run of # pipeline.', other: 'Starts a run of each of # pipelines.' })}`
            }
            done={count => t`${plural(count, { one: '# run was started', other: '# runs were started' })}`}
            permissions={['RunFlowPipeline']}
            suits={({ enabled, revision }) => enabled && revision !== null && startsByHand(revision.triggers)}
            act={({ id }) => api.mutate(startRunDocument, { pipelineId: id })}
            onDone={() => table.resetRowSelection()}
        />
    );
};

/** Lets runs of each start again. */
export const EnableAction: BulkActionComponent<PipelineRow> = ({ selection, table }) => {
    const { t } = useLingui();
    return (
        <ForEach
            selection={selection}
            icon={PowerIcon}
            label={t({ message: 'Enable', context: 'do' })}
            done={count => t`${plural(count, { one: '# pipeline was enabled', other: '# pipelines were enabled' })}`}
            permissions={['PublishFlowPipeline']}
            suits={({ enabled, codeFirst }) => !enabled && !codeFirst}
            act={({ id }) => api.mutate(enablePipelineDocument, { id })}
            onDone={() => table.resetRowSelection()}
        />
    );
};

/** No run of them starts any more. */
export const DisableAction: BulkActionComponent<PipelineRow> = ({ selection, table }) => {
    const { t } = useLingui();
    return (
        <ForEach
            selection={selection}
            icon={PowerOffIcon}
            label={t({ message: 'Disable', context: 'do' })}
            confirmation={count =>
                t`${plural(count, {
                    one: '# pipeline will no longer be started by people or triggers. Waiting runs are still processed.',
                    other: '# pipelines will no longer be started by people or triggers. Waiting runs are still processed.',
                })}`
            }
            done={count => t`${plural(count, { one: '# pipeline was disabled', other: '# pipelines were disabled' })}`}
            permissions={['PublishFlowPipeline']}
            suits={({ enabled, codeFirst }) => enabled && !codeFirst}
            act={({ id }) => api.mutate(disablePipelineDocument, { id })}
            onDone={() => table.resetRowSelection()}
        />
    );
};

const exportAs =
    (format: 'JSON' | 'YAML', icon: LucideIcon): BulkActionComponent<PipelineRow> =>
    ({ selection, table }) => {
        const { t } = useLingui();
        return (
            <ForEach
                selection={selection}
                icon={icon}
                label={t`Export as ${format}`}
                done={count => t`${plural(count, { one: '# document was saved', other: '# documents were saved' })}`}
                permissions={['ReadFlowPipeline']}
                act={async ({ id }) => {
                    const { exportFlowPipeline } = await api.query(exportPipelineDocument, { id, format });
                    saveText(exportFlowPipeline);
                }}
                onDone={() => table.resetRowSelection()}
            />
        );
    };

export const ExportJsonAction = exportAs('JSON', FileJsonIcon);
export const ExportYamlAction = exportAs('YAML', FileTextIcon);
