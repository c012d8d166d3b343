import gql from 'graphql-tag';

/** Addresses at which exports are served. */
export const feedSchema = gql`
    "An address that serves the newest file of an export to everyone who knows it. The address itself cannot be read: it is returned once, when the feed is created."
    type FlowFeed implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "The export whose newest file is served: exportCode of a fileExport step."
        exportCode: String!
        "The recipient of the address."
        name: String!
        "Null if it is valid until it is revoked."
        expiresAt: DateTime
        "Null if the user was deleted permanently."
        createdBy: FlowActor
        "When it was revoked. Nothing is served there since then."
        revokedAt: DateTime
        revokedBy: FlowActor
        "The file that is served now; null until the export has completed once."
        file: FlowFile
    }

    "A page of feeds, including revoked ones."
    type FlowFeedList implements PaginatedList {
        items: [FlowFeed!]!
        totalItems: Int!
    }

    "An export that has a file."
    type FlowExport {
        exportCode: String!
        "The newest file."
        file: FlowFile
    }

    "A feed and its address."
    type FlowCreatedFeed {
        feed: FlowFeed!
        "The path after the address of the server: GET {path}, with .xml or another extension if a consumer needs one. Everyone who knows it can read the export. It is not shown again."
        path: String!
    }

    input FlowFeedListOptions

    "A new address for an export of the active channel."
    input CreateFlowFeedInput {
        "The exportCode of a fileExport step; if the step has none, the codes of pipeline and step: products.export."
        exportCode: String!
        "The recipient of the address, 1 to 255 characters."
        name: String!
        "Nothing is served there after this time. Default: valid until it is revoked."
        expiresAt: DateTime
    }

    extend type Query {
        "The exports of the active channel that have a file, by their codes: what a feed can serve now."
        flowExports: [FlowExport!]!
        "The feeds of the active channel."
        flowFeeds(options: FlowFeedListOptions): FlowFeedList!
    }

    extend type Mutation {
        "Creates an address at which the newest file of an export is served. The export need not have a file yet."
        createFlowFeed(input: CreateFlowFeedInput!): FlowCreatedFeed!
        "Revokes a feed. Nothing is served at its address afterwards."
        revokeFlowFeed(id: ID!): FlowFeed!
    }
`;
