import { graphql } from '../../gql/graphql';

export const feedListDocument = graphql(`
    query FlowFeedList($options: FlowFeedListOptions) {
        flowFeeds(options: $options) {
            items {
                id
                name
                exportCode
                expiresAt
                revokedAt
                revokedBy {
                    identifier
                }
                createdBy {
                    identifier
                }
                file {
                    id
                    createdAt
                    filename
                }
                createdAt
                updatedAt
            }
            totalItems
        }
    }
`);

export const anyFeedDocument = graphql(`
    query FlowAnyFeed {
        flowFeeds(options: { take: 1 }) {
            totalItems
        }
    }
`);

export const exportsDocument = graphql(`
    query FlowExports {
        flowExports {
            exportCode
            file {
                id
                filename
                createdAt
            }
        }
    }
`);

export const createFeedDocument = graphql(`
    mutation FlowCreateFeed($input: CreateFlowFeedInput!) {
        createFlowFeed(input: $input) {
            path
        }
    }
`);

export const revokeFeedDocument = graphql(`
    mutation FlowRevokeFeed($id: ID!) {
        revokeFlowFeed(id: $id) {
            id
        }
    }
`);
