import { graphql, type ResultOf } from '../../../gql/graphql';
import type { Remedy } from '../import-plan';

const importCheck = graphql(`
    fragment FlowImportCheckOfDraft on FlowImportCheck {
        runId
        isCurrent
        rows
        totalRows
        created
        updated
        deleted
        unchanged
        rejected
        warnings
        isCausesComplete
        applied
        run {
            id
            status
            outcome
            error {
                message
            }
            pipeline {
                id
            }
        }
        causes {
            id
            code
            field
            column
            value
            rows
            places
            groupId
            remedies
        }
        unusual {
            code
            column
            args
        }
    }
`);

export const startCheckDocument = graphql(`
    mutation FlowCheckImport($draftId: ID!) {
        checkFlowImport(draftId: $draftId) {
            runId
        }
    }
`);

export const importCheckDocument = graphql(
    `
        query FlowImportCheckPage($draftId: ID!) {
            flowImportCheck(draftId: $draftId) {
                ...FlowImportCheckOfDraft
            }
            flowImportDraft(id: $draftId) {
                version
            }
        }
    `,
    [importCheck],
);

export const applyRemedyDocument = graphql(`
    mutation FlowApplyImportRemedy($draftId: ID!, $version: Int!, $remedy: FlowJSON!) {
        applyFlowImportRemedy(draftId: $draftId, version: $version, remedy: $remedy) {
            id
            version
            plan
        }
    }
`);

export const undoRemedyDocument = graphql(`
    mutation FlowUndoImportRemedy($draftId: ID!, $version: Int!, $remedy: FlowJSON!) {
        undoFlowImportRemedy(draftId: $draftId, version: $version, remedy: $remedy) {
            id
            version
            plan
        }
    }
`);

export const createImportPipelineDocument = graphql(`
    mutation FlowCreateImportPipeline($input: CreateFlowImportPipelineInput!) {
        createFlowImportPipeline(input: $input) {
            pipeline {
                id
            }
            run {
                id
            }
        }
    }
`);

export const causeReasonDocument = graphql(`
    query FlowImportCauseReason($selection: FlowRecordErrorSelectionInput!) {
        flowRecordErrors(options: { take: 1 }, selection: $selection) {
            items {
                message
            }
        }
    }
`);

type Checked = NonNullable<ResultOf<typeof importCheckDocument>['flowImportCheck']>;

/** The result of a check so far. */
export type ImportCheck = Omit<Checked, 'applied'> & { readonly applied: readonly Remedy[] };
/** Rows that were rejected for the same reason. */
export type ImportCause = Checked['causes'][number];
