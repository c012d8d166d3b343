import { getNamedType, type GraphQLField, type GraphQLNamedType, isLeafType, isObjectType } from 'graphql';

/** The cost of one field, without its selection. */
interface FieldCost {
    /** Default 200 for a query with pages, 50 for another query or a mutation, 1 for an object or a JSON value, 0.25 for another value. */
    readonly cost?: number;
    /**
     * The number of rows that is assumed for a list if the query has no `take`. Default 1; for a page the shop's
     * `apiOptions.adminListQueryLimit`.
     */
    readonly rows?: number;
    /** The cost of each row of a page. Default 1. */
    readonly rowCost?: number;
}

/** A value that is part of the row. */
const PART: FieldCost = { cost: 0 };

/** Values that a resolver computes or looks up. GraphQL waits for each of them, which takes longer than reading a property. */
const RESOLVED_VALUES = [
    'FlowConnection.usedBy',
    'FlowDryRunDifference.key',
    'FlowFile.path',
    'FlowFile.usedBy',
    'FlowGivenUpEvent.lastError',
    'FlowImportCause.value',
    'FlowImportDraft.expiresAt',
    'FlowImportDraftSummary.expiresAt',
    'FlowLog.message',
    'FlowPipeline.description',
    'FlowPipeline.openErrors',
    'FlowPipelineRun.revisionNumber',
    'FlowPipelineRun.warnings',
    'FlowRecordError.message',
    'FlowRecordErrorGroup.isReplayable',
    'FlowRecordErrorGroup.remedy',
    'FlowRemoteAction.kind',
    'FlowRemoteAction.lastError',
    'FlowRemoteAction.nextTryAt',
    'FlowRemoteAction.path',
    'FlowRemoteAction.to',
    'FlowRunError.remedy',
    'FlowSecret.allowedHosts',
    'FlowSecret.environmentVariable',
    'FlowSecret.isReadable',
    'FlowSecret.problem',
    'FlowSecret.usedBy',
    'FlowTrigger.text',
    'FlowWorkingCopy.reviewComment',
    'FlowWorkingCopy.status',
    'FlowWorkingCopy.submittedAt',
    'FlowWorkingCopy.updatedAt',
];

/** The costs that differ from the defaults, by type and field. They were measured with `npm run bench -- aliases`. */
export const FIELD_COSTS: Readonly<Record<string, FieldCost>> = {
    'Query.flowOverview': { cost: 1_000 },
    'Query.flowAnalytics': { cost: 1_000 },
    // Reads a file of up to 10,000 rows.
    'Query.flowCorrectedRecords': { cost: 2_000 },
    // Checks a definition of up to a megabyte.
    'Query.validateFlowPipeline': { cost: 800 },
    'Query.flowTriggerPreview': { cost: 100 },
    'Query.flowAdapters': { cost: 0, rows: 300 },
    'Query.flowRecordErrorGroups': { rows: 50 },
    'Query.flowEntityHistory': { rows: 10 },
    'Query.flowGatePreview': { rows: 100 },
    'Query.flowPipelineRuns': { rowCost: 2 },
    // Read a whole file, or its first rows, in another process.
    'Query.flowImportProfile': { cost: 1_000 },
    'Query.flowImportSuggestion': { cost: 1_000 },
    'Query.flowImportSamples': { cost: 1_000, rows: 20 },
    'Query.flowImportMatches': { cost: 1_000 },
    'Query.flowImportConversions': { cost: 200 },
    'Query.flowImportFits': { cost: 1_000, rows: 5 },
    'Query.flowImportCheck': { cost: 200 },
    'Query.flowImportDrafts': { rows: 50 },
    'FlowImportDraft.profile': { cost: 50 },
    'FlowImportDraft.check': { cost: 20 },
    'FlowImportCheck.causes': { rows: 20 },
    'FlowPipeline.days': { rows: 30 },
    'FlowAnalytics.pipelines': { rows: 100 },
    'FlowOverview.failures': { rows: 20 },
    'FlowOverview.waitingGates': { rows: 20 },
    'FlowOverview.running': { rows: 20 },
    'FlowOverview.causes': { rows: 5 },
    'FlowPeriodFigures.figures': PART,
    'FlowPipelineFigures.figures': PART,
    'FlowAnalytics.total': PART,
    'FlowOverview.lastDay': PART,
    'FlowOverview.hours': { rows: 24 },
    'FlowPipelineRun.steps': { rows: 30 },
    'FlowPipelineRun.progress': PART,
    'FlowPipelineRun.error': PART,
    'FlowRunStep.counters': PART,
    ...Object.fromEntries(RESOLVED_VALUES.map(name => [name, { cost: 1 }])),
};

const PAGE = 200;
const ROOTS: readonly string[] = ['Query', 'Mutation'];
const OF_ROOT = 50;
const VALUE = 0.25;
const JSON_SCALAR = 'FlowJSON';
const ITEMS = 'items';

/** The cost of a field. */
export function fieldCost(type: string, { name, type: answer }: GraphQLField<unknown, unknown>): DeclaredCost {
    const declared = FIELD_COSTS[`${type}.${name}`];
    const named = getNamedType(answer);
    const inRow = isLeafType(named) && named.name !== JSON_SCALAR ? VALUE : 1;
    const usual = !ROOTS.includes(type) ? inRow : type === 'Query' && isPage(named) ? PAGE : OF_ROOT;
    return {
        cost: declared?.cost ?? usual,
        rows: declared?.rows,
        rowCost: declared?.rowCost ?? 1,
    };
}

/** Whether a type is a page of a list, whose rows are its `items`. */
export function isPage(type: GraphQLNamedType): boolean {
    return isObjectType(type) && ITEMS in type.getFields() && 'totalItems' in type.getFields();
}

interface DeclaredCost {
    readonly cost: number;
    readonly rows: number | undefined;
    readonly rowCost: number;
}
