import { graphql, type ResultOf } from '../../../gql/graphql';

export const importSamplesDocument = graphql(`
    query FlowImportSamplesPage($profileId: String!, $plan: FlowJSON!, $fields: [String!], $skip: Int, $take: Int) {
        flowImportSamples(profileId: $profileId, plan: $plan, fields: $fields, skip: $skip, take: $take) {
            field
            total
            samples {
                row
                kind
                before
                after
                causeCode
            }
        }
    }
`);

export const importMatchesDocument = graphql(`
    query FlowImportMatchesPage($profileId: String!, $plan: FlowJSON!) {
        flowImportMatches(profileId: $profileId, plan: $plan) {
            field
            column
            existing
            missing
            empty
            isSample
        }
    }
`);

export const importConversionsDocument = graphql(`
    query FlowImportConversionsPage(
        $profileId: String!
        $target: FlowImportTarget!
        $field: String!
        $column: String!
    ) {
        flowImportConversions(profileId: $profileId, target: $target, field: $field, column: $column)
    }
`);

/** Values of a field before and after its conversions. */
export type FieldSamples = ResultOf<typeof importSamplesDocument>['flowImportSamples'][number];
export type FieldSample = FieldSamples['samples'][number];
