import { graphql, type ResultOf } from '../../gql/graphql';
import type { ImportPlan } from './import-plan';

const importProfile = graphql(`
    fragment FlowImportProfileOfFile on FlowImportProfile {
        id
        fileId
        filename
        size
        facts {
            format
            encoding
            delimiter
            quote
            trim
            decimals
            headerRow
            skipAfterHeader
            footerRows
            sheet
            recordPath
        }
        alternatives {
            encodings
            delimiters
            headerRows
            recordPaths
        }
        sheets {
            name
            rows
            isHidden
        }
        rows
        columns {
            index
            name
            type
            exceptions
            filled
            empties
            distinct
            examples
            unit
            currency
            language
            decimals
            dateFormat
            separator
        }
        head
        headNumbers
        language
        warnings {
            code
            column
            args
        }
        knownExport
    }
`);

const importSuggestion = graphql(`
    fragment FlowImportSuggestionOfFile on FlowImportSuggestion {
        isTargetClear
        targets {
            target
            score
            columns
            missingPermissions
            existing
        }
        plan
        fields {
            field
            label
            isRequired
            columns
            score
            confidence
            reasonCode
            reasonArgs
            alternatives {
                column
                score
            }
            conversions
        }
        unused {
            column
            uses
        }
        shop {
            languages
            defaultLanguage
            currencies
            defaultCurrency
            pricesIncludeTax
            taxCategories {
                name
                percent
                isDefault
            }
            facets
            customFields {
                field
                label
                type
            }
        }
    }
`);

export const importProfileDocument = graphql(
    `
        query FlowImportProfilePage($fileId: ID!, $facts: FlowImportFactsInput) {
            flowImportProfile(fileId: $fileId, facts: $facts) {
                ...FlowImportProfileOfFile
            }
        }
    `,
    [importProfile],
);

export const importSuggestionDocument = graphql(
    `
        query FlowImportSuggestionPage($profileId: String!, $target: FlowImportTarget, $plan: FlowJSON) {
            flowImportSuggestion(profileId: $profileId, target: $target, plan: $plan) {
                ...FlowImportSuggestionOfFile
            }
        }
    `,
    [importSuggestion],
);

export const importDraftsDocument = graphql(`
    query FlowImportDraftsPage {
        flowImportDrafts {
            id
            version
            updatedAt
            step
            filename
        }
    }
`);

export const importDraftDocument = graphql(
    `
        query FlowImportDraftPage($id: ID!) {
            flowImportDraft(id: $id) {
                id
                version
                step
                filename
                plan
                profile {
                    ...FlowImportProfileOfFile
                }
                pipeline {
                    id
                    name
                }
                check {
                    runId
                    isCurrent
                }
            }
        }
    `,
    [importProfile],
);

export const saveImportDraftDocument = graphql(`
    mutation FlowSaveImportDraft($input: SaveFlowImportDraftInput!) {
        saveFlowImportDraft(input: $input) {
            id
            version
        }
    }
`);

export const discardImportDraftDocument = graphql(`
    mutation FlowDiscardImportDraft($id: ID!) {
        discardFlowImportDraft(id: $id)
    }
`);

export const storeImportSourceDocument = graphql(`
    mutation FlowStoreImportSource($input: FlowImportSourceInput!) {
        storeFlowImportSource(input: $input) {
            id
        }
    }
`);

export const importFolderDocument = graphql(`
    mutation FlowListImportFolder($connectionCode: String!, $path: String) {
        listFlowImportFolder(connectionCode: $connectionCode, path: $path) {
            folders
            files {
                path
                name
                size
                modifiedAt
            }
            isCut
        }
    }
`);

export const importAccessDocument = graphql(`
    query FlowImportAccessPage {
        flowImportAccess {
            missing
        }
    }
`);

export const importFilesDocument = graphql(`
    query FlowImportFiles($options: FlowFileListOptions) {
        flowFiles(options: $options) {
            items {
                id
                createdAt
                filename
                format
                size
                rows
            }
            totalItems
        }
    }
`);

export const importFitsDocument = graphql(`
    query FlowImportFitsPage($profileId: String!) {
        flowImportFits(profileId: $profileId) {
            pipeline {
                id
                name
            }
            isExact
            isEdited
            differences {
                code
                column
                field
                suggestion
                args
            }
            plan
        }
    }
`);

/** A pipeline of an earlier import whose columns fit a file. */
export type FittingPipeline = ResultOf<typeof importFitsDocument>['flowImportFits'][number];
export type FileDifference = FittingPipeline['differences'][number];

/** What was detected about a file. */
export type FileProfile = ResultOf<typeof importProfileDocument>['flowImportProfile'];
export type FileColumn = FileProfile['columns'][number];
export type FileWarning = FileProfile['warnings'][number];

/** Target, mapping and conversions for a file. */
export type ImportSuggestion = Omit<ResultOf<typeof importSuggestionDocument>['flowImportSuggestion'], 'plan'> & {
    readonly plan: ImportPlan;
};
export type FieldSuggestion = ImportSuggestion['fields'][number];
export type TargetScore = ImportSuggestion['targets'][number];

/** An unfinished import in a list. */
export type DraftSummary = ResultOf<typeof importDraftsDocument>['flowImportDrafts'][number];
