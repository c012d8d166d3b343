import { graphql } from '../../gql/graphql';

export const connectionDocument = graphql(`
    query FlowConnectionDetail($id: ID!) {
        flowConnection(id: $id) {
            id
            code
            name
            type
            settings
            enabled
            codeFirst
            version
            usedBy
            createdAt
            updatedAt
        }
    }
`);

export const connectionTypesDocument = graphql(`
    query FlowConnectionTypes {
        flowAdapters(kind: CONNECTION) {
            code
            title
            summary
            notes
            schema
        }
    }
`);

export const createConnectionDocument = graphql(`
    mutation FlowCreateConnection($input: CreateFlowConnectionInput!) {
        createFlowConnection(input: $input) {
            id
        }
    }
`);

export const updateConnectionDocument = graphql(`
    mutation FlowUpdateConnection($input: UpdateFlowConnectionInput!) {
        updateFlowConnection(input: $input) {
            id
            version
        }
    }
`);

export const deleteConnectionDocument = graphql(`
    mutation FlowDeleteConnection($id: ID!) {
        deleteFlowConnection(id: $id) {
            result
            message
        }
    }
`);
