import gql from 'graphql-tag';

/** Addresses at which exports are served. */
export const feedSchema = gql`
    "An address at which the newest file of an export is served to whoever has it. The address itself cannot be read: it is answered once, when the feed is made."
    type FlowFeed implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "The export whose newest file is served: exportCode of a fileExport step."
        exportCode: String!
        "Who it was given to."
        name: String!
        "Null: it holds until it is revoked."
        expiresAt: DateTime
        "Null where that user is gone for good."
        createdBy: FlowActor
        "Since when nothing is served there any more."
        revokedAt: DateTime
        revokedBy: FlowActor
        "What is served now; null until the export has come to its end once."
        file: FlowFile
    }

    "Feeds, a page of them, revoked ones included."
    type FlowFeedList implements PaginatedList {
        items: [FlowFeed!]!
        totalItems: Int!
    }

    "A feed, and its address."
    type FlowCreatedFeed {
        feed: FlowFeed!
        "Behind the address of the server: GET {path}, with .xml or another extension where a publisher wants one. Whoever has it can read the export; it is not shown again."
        path: String!
    }

    input FlowFeedListOptions

    "A new address for an export of the active channel."
    input CreateFlowFeedInput {
        "The exportCode of a fileExport step; where the step has none, the codes of pipeline and step: products.export."
        exportCode: String!
        "Who it is given to, 1 to 255 characters."
        name: String!
        "From then on nothing is served there; left out, it holds until it is revoked."
        expiresAt: DateTime
    }

    extend type Query {
        "The feeds of the active channel."
        flowFeeds(options: FlowFeedListOptions): FlowFeedList!
    }

    extend type Mutation {
        "Makes an address at which the newest file of an export is served. The export need not have a file yet."
        createFlowFeed(input: CreateFlowFeedInput!): FlowCreatedFeed!
        "Nothing is served at its address from then on."
        revokeFlowFeed(id: ID!): FlowFeed!
    }
`;
