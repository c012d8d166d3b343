import { graphql } from '../../gql/graphql';

export const createDocument = graphql(`
    mutation FlowNewPipeline($code: String!, $name: String!, $definition: FlowJSON) {
        createFlowPipeline(input: { code: $code, name: $name, definition: $definition }) {
            id
        }
    }
`);

export const templatesDocument = graphql(`
    query FlowNewPipelineTemplates {
        flowPipelineTemplates {
            code
            group
            title
            description
            definition
            sample
            notes
            connections {
                code
                types
            }
            secrets
        }
    }
`);

export const otherPipelinesDocument = graphql(`
    query FlowNewPipelineOthers($options: FlowPipelineListOptions) {
        flowPipelines(options: $options) {
            items {
                id
                code
                name
            }
        }
    }
`);

export const otherPipelineDocument = graphql(`
    query FlowNewPipelineOther($id: ID!) {
        flowPipeline(id: $id) {
            id
            workingCopy {
                definition
            }
            revision {
                id
                definition
            }
        }
    }
`);
