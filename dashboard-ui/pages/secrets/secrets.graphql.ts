import { graphql } from '../../gql/graphql';

export const secretListDocument = graphql(`
    query FlowSecretList($options: FlowSecretListOptions) {
        flowSecrets(options: $options) {
            items {
                id
                code
                provider
                environmentVariable
                isReadable
                problem
                allowedHosts
                effectiveHosts {
                    host
                    connectionCode
                    pipelineCode
                }
                enabled
                codeFirst
                version
                usedBy
                createdAt
                updatedAt
            }
            totalItems
        }
    }
`);

export const anySecretDocument = graphql(`
    query FlowAnySecret {
        flowSecrets(options: { take: 1 }) {
            totalItems
        }
    }
`);

export const createSecretDocument = graphql(`
    mutation FlowCreateSecret($input: CreateFlowSecretInput!) {
        createFlowSecret(input: $input) {
            id
        }
    }
`);

export const updateSecretDocument = graphql(`
    mutation FlowUpdateSecret($input: UpdateFlowSecretInput!) {
        updateFlowSecret(input: $input) {
            id
        }
    }
`);

export const deleteSecretDocument = graphql(`
    mutation FlowDeleteSecret($id: ID!) {
        deleteFlowSecret(id: $id) {
            result
            message
        }
    }
`);
