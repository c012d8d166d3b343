import { graphql } from '../../gql/graphql';

export const adaptersDocument = graphql(`
    query FlowAdapters {
        flowAdapters {
            kind
            code
            aliases
            title
            summary
            category
            icon
            sinkType
            notes
            requires
            schema
            examples
        }
    }
`);
