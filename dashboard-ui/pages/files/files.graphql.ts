import { graphql } from '../../gql/graphql';

export const fileListDocument = graphql(`
    query FlowFileList($options: FlowFileListOptions) {
        flowFiles(options: $options) {
            items {
                id
                createdAt
                filename
                mimeType
                format
                encoding
                size
                rows
                uploadedBy {
                    id
                    identifier
                }
                expiresAt
                path
                usedBy
            }
            totalItems
        }
    }
`);
