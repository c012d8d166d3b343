import gql from 'graphql-tag';

/** Connections, secrets and the available adapters. */
export const resourceSchema = gql`
    "The settings for reaching an external system, stored under a code. Contains codes of secrets, never a secret."
    type FlowConnection implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "Unique within the channel."
        code: String!
        name: String!
        "The code of a connection type (see flowAdapters)."
        type: String!
        "As described by the schema of its type. Null unless the caller may manage connections."
        settings: FlowJSON
        "False if it was defined in the shop's code and has been removed from there."
        enabled: Boolean!
        "True if it is defined in the shop's code, and read-only here."
        codeFirst: Boolean!
        "Increases with every change."
        version: Int!
        "Codes of the pipelines whose working copy or selected revision names it."
        usedBy: [String!]!
    }

    "A page of connections."
    type FlowConnectionList implements PaginatedList {
        items: [FlowConnection!]!
        totalItems: Int!
    }

    "Where the value of a secret comes from."
    enum FlowSecretProvider {
        "An environment variable of the server and the workers."
        ENV
        "The database, encrypted with FLOW_MASTER_KEY."
        INLINE
    }

    "A secret, stored under a code. You can set its value, but never read it."
    type FlowSecret implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "Unique within the channel."
        code: String!
        provider: FlowSecretProvider!
        "ENV: the name of the variable. Null unless the caller may manage secrets."
        environmentVariable: String
        "Whether this server can read it now. Workers have a separate environment."
        isReadable: Boolean!
        "Why it cannot be read. Null unless the caller may manage secrets."
        problem: String
        "The hosts to which it may be sent, in addition to the hosts of saved connections that name it: erp.example.com, erp.example.com:8443 or *.example.com."
        allowedHosts: [String!]!
        "All hosts to which it may be sent, and what allows each. A host of a connection stays allowed when you remove it from allowedHosts: change or delete the connection too. Null unless the caller may manage secrets."
        effectiveHosts: [FlowEffectiveHost!]
        "False if it was defined in the shop's code and has been removed from there."
        enabled: Boolean!
        "True if it is defined in the shop's code, and read-only here."
        codeFirst: Boolean!
        "Increases with every change."
        version: Int!
        "Codes of the pipelines and connections that name it."
        usedBy: [String!]!
    }

    "A host to which a secret may be sent, and what allows it: the connection or pipeline that is named here, otherwise the allowedHosts of the secret."
    type FlowEffectiveHost {
        host: String!
        "The saved connection that names the secret and leads to the host."
        connectionCode: String
        "The pipeline of the shop's code that sends the secret to the host."
        pipelineCode: String
    }

    "A page of secrets."
    type FlowSecretList implements PaginatedList {
        items: [FlowSecret!]!
        totalItems: Int!
    }

    "The result of encrypting all INLINE secrets of the active channel with the current master key."
    type FlowSecretRotation {
        "Encrypted with the current key by this call."
        rotated: Int!
        "Already encrypted with the current key."
        current: Int!
        "Codes of the secrets that neither the current nor the previous key can decrypt. They were not changed."
        unreadable: [String!]!
    }

    "The result of a connection test."
    enum FlowConnectionTestResult {
        "The system responds and has not rejected the authentication."
        PASSED
        FAILED
        "Nothing was tried; the message says why."
        UNTESTED
    }

    "The outcome of a connection test."
    type FlowConnectionTest {
        result: FlowConnectionTestResult!
        "A text for users. Contains no secret."
        message: String!
        "The code of the error, if there was one."
        code: String
        "The HTTP status of the response, if there was one."
        status: Int
        "The fingerprint of the host key of an SFTP server, if it is not trusted yet. Compare it with the one that the operator of the server gives you, then save it as hostKeyFingerprint of the connection."
        hostKeyFingerprint: String
        durationMs: Int!
    }

    "What an adapter is for."
    enum FlowAdapterKind {
        TRIGGER
        EXTRACTOR
        OPERATOR
        RULE
        LOADER
        SINK
        CONNECTION
    }

    "A component of a pipeline."
    type FlowAdapter {
        kind: FlowAdapterKind!
        code: String!
        "Other spellings that definitions may use."
        aliases: [String!]!
        title: String!
        summary: String!
        category: String
        "For a custom sink: the name of a lucide icon."
        icon: String
        "For a custom sink: what it delivers to (MEILISEARCH, ELASTICSEARCH, OPENSEARCH, ALGOLIA, TYPESENSE, WEBHOOK, CUSTOM)."
        sinkType: String
        "Limitations that users must know."
        notes: [String!]!
        "Permissions that a run with it needs. Of permissions joined by or, any one is enough."
        requires: [String!]!
        "JSON Schema of its configuration."
        schema: FlowJSON!
        "Whether its steps can be tried on a few records (testFlowStep). Only some triggers and no connections can."
        canBeTried: Boolean!
        "How it is used, as in the reference: the configuration, the input and the output, as far as its kind has these."
        examples: [FlowJSON!]!
    }

    "An uploaded or exported file. Uploads and downloads use REST: POST /flow/upload, GET /flow/files/:id/download."
    type FlowFile implements Node {
        id: ID!
        "When it was stored."
        createdAt: DateTime!
        updatedAt: DateTime!
        filename: String!
        mimeType: String!
        "The format of the content: csv, json, xml, txt, xls or xlsx."
        format: String!
        "For a text: its encoding."
        encoding: String
        "In bytes."
        size: Float!
        "The SHA-256 of its content, in hexadecimal digits."
        sha256: String!
        "How many records it contains; null until they have been counted, for example for a preview."
        rows: Int
        "Null for an export, and if the user was deleted permanently."
        uploadedBy: FlowActor
        "The code of the export that wrote it; null for an uploaded file."
        exportCode: String
        "Null if it is kept until it is deleted."
        expiresAt: DateTime
        "The REST path of the file: GET {path}/download and {path}/preview, DELETE {path}."
        path: String!
        "Codes of the pipelines whose working copy or selected revision names it."
        usedBy: [String!]!
    }

    "A page of uploaded files."
    type FlowFileList implements PaginatedList {
        items: [FlowFile!]!
        totalItems: Int!
    }

    input FlowConnectionListOptions
    input FlowFileListOptions
    input FlowSecretListOptions

    "A new connection of the active channel."
    input CreateFlowConnectionInput {
        "Letters, digits, dots, hyphens and underscores, at most 64, the first a letter or digit."
        code: String!
        "Default: the code."
        name: String
        "The code of a connection type (see flowAdapters). Cannot be changed later."
        type: String!
        "As described by the schema of its type."
        settings: FlowJSON!
    }

    "Omitted fields stay unchanged; settings are replaced as a whole."
    input UpdateFlowConnectionInput {
        id: ID!
        "The version that the caller has read."
        version: Int!
        name: String
        settings: FlowJSON
    }

    "A new secret of the active channel."
    input CreateFlowSecretInput {
        "Letters, digits, dots, hyphens and underscores, at most 64, the first a letter or digit."
        code: String!
        provider: FlowSecretProvider!
        "ENV: the name of exactly one environment variable. INLINE: the value, which is stored encrypted."
        value: String!
        "The hosts to which it may be sent: erp.example.com, erp.example.com:8443 or *.example.com. The hosts of saved connections that name it need no entry."
        allowedHosts: [String!]
    }

    "Omitted fields stay unchanged."
    input UpdateFlowSecretInput {
        id: ID!
        "The version that the caller has read."
        version: Int!
        provider: FlowSecretProvider
        "Required with another provider."
        value: String
        "Replaces the whole list."
        allowedHosts: [String!]
    }

    "An option and its effective value."
    type FlowSetting {
        path: String!
        value: FlowJSON
    }

    extend type Query {
        "The connections of the active channel."
        flowConnections(options: FlowConnectionListOptions): FlowConnectionList!
        "A connection of the active channel, by its id or its code."
        flowConnection(id: ID, code: String): FlowConnection
        "The secrets of the active channel, without their values."
        flowSecrets(options: FlowSecretListOptions): FlowSecretList!
        "A secret of the active channel, by its id or its code, without its value."
        flowSecret(id: ID, code: String): FlowSecret
        "The uploaded files of the active channel that have not expired."
        flowFiles(options: FlowFileListOptions): FlowFileList!
        "An uploaded file of the active channel; null once it has expired."
        flowFile(id: ID!): FlowFile
        "The effective options of this server, including defaults, by their paths: retention.runsDays. Options that may contain a secret are omitted."
        flowSettings: [FlowSetting!]!
        "The adapters of pipelines and connections, or those of one kind if it is given."
        flowAdapters(kind: FlowAdapterKind): [FlowAdapter!]!
    }

    extend type Mutation {
        "Creates a connection; its settings are checked with the schema of its type."
        createFlowConnection(input: CreateFlowConnectionInput!): FlowConnection!
        "Changes a connection that was created through the API."
        updateFlowConnection(input: UpdateFlowConnectionInput!): FlowConnection!
        "Rejected while a pipeline names it."
        deleteFlowConnection(id: ID!): DeletionResponse!
        "Connects to the system of a connection, as a run would."
        testFlowConnection(id: ID!): FlowConnectionTest!
        "Creates a secret. Its value is never returned."
        createFlowSecret(input: CreateFlowSecretInput!): FlowSecret!
        "Changes the provider, the value or the allowed hosts of a secret that was created through the API."
        updateFlowSecret(input: UpdateFlowSecretInput!): FlowSecret!
        "Rejected while a pipeline or a connection names it."
        deleteFlowSecret(id: ID!): DeletionResponse!
        "Encrypts the INLINE secrets of the active channel with the current FLOW_MASTER_KEY. The guide describes the whole procedure."
        rotateFlowSecrets: FlowSecretRotation!
    }
`;
