import { graphql } from '../../gql/graphql';

export const connectionListDocument = graphql(`
    query FlowConnectionList($options: FlowConnectionListOptions) {
        flowConnections(options: $options) {
            items {
                id
                code
                name
                type
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

export const anyConnectionDocument = graphql(`
    query FlowAnyConnection {
        flowConnections(options: { take: 1 }) {
            totalItems
        }
    }
`);

export const testConnectionDocument = graphql(`
    mutation FlowTestConnection($id: ID!) {
        testFlowConnection(id: $id) {
            result
            message
            code
            status
            hostKeyFingerprint
            durationMs
        }
    }
`);
