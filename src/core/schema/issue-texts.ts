/**
 * The texts of issues of definitions and configurations. `{path}` is the place of the issue. Texts about the arguments of one adapter are where these
 * are checked. The dashboard has all of them in its language: see `scripts/server-texts.ts`.
 */
export const ISSUE_TEXTS = {
    // Values
    missing: '{path} is missing; allowed: {allowed}',
    missingKnown: '{path} is missing; known: {known}',
    invalid: '{path} is {value}; allowed: {allowed}',
    invalidKnown: '{path} is {value}; known: {known}',
    misspelt: '{path} is {value}; allowed: {allowed}. {hint}',
    unknown: '{path} is an unknown field; there is no field of this name',
    unknownAmong: '{path} is an unknown field; known: {known}',
    unneeded: '{path} is an unknown field; no fields are allowed here',
    key: '{path} has the key {key}; allowed: {allowed}',
    keyReason: '{path} has the key {key}; {reason}',
    tooMany: '{path} has {count} elements; allowed: at most {most}',
    /** For a reason that is a separate sentence. */
    reason: '{path}: {reason}',
    /** For a reason that begins with a verb. */
    is: '{path} {reason}',

    // The definition as a whole
    notAnObject: 'it is {value} instead of an object',
    notJson: '{path} is {value}, which JSON does not have',
    tooLarge: 'The definition is larger than the {most} bytes that are allowed',
    tooManyValues:
        'The definition has more than the {most} values that are allowed (option definitions.maxValues): each step, edge, operator and argument is at least one',
    tooManyValuesOfConfig:
        '{path} has more than the {most} values that one configuration may have (option definitions.maxConfigValues)',
    tooManyPatterns:
        'The definition has {count} regular expressions; at most {most} are allowed (option definitions.maxPatterns)',
    tooDeep: '{path} is nested deeper than the {most} levels that are allowed',
    forbiddenKey: '{path} cannot be used: no field may be called {key}',
    moreIssues: 'There {more|is 1 more issue|are # more issues} than the {listed} that are listed',

    // Steps and adapters
    inheritedKey:
        '{path} is {value}, a name that every JavaScript object already has; allowed: any other, such as {example}',
    repeatedKey: '{path} is {value}, which is the key of {first} already; step keys must be unique',
    noSuchAdapter: 'No {kind} has the code {code}. {hint}',
    planned: '{path} is {value}; {kind}s of this {field} are not available yet, available: {available}',
    batchOperator:
        '{path} is {value}, which works on whole batches; allowed: operators that work on one record at a time: {allowed}',
    tooNested: '{path} is {value} within {depth} others; allowed: at most {most} levels of operators within operators',
    onlyInCode: "{path} may be set by pipelines in the shop's code alone; leave it out",
    noSuchScript: '{path} is {value}, and no script has this name. {hint}',
    noInlineScripts: '{path} is not allowed: the plugin option security.inlineScripts is false',
    sinkBatch:
        '{path} is {value}, but the batches of the pipeline have at most {most} records. Raise throughput.batchSize, or lower this value.',
    address: '{path} is {value}: {reason}',
    noSuchPermission: '{path} is {value}, which is not a permission. {hint}',

    noShopField: '{path} is {value}, which is not a field of {entity} that the run may read; allowed: {allowed}',
    misspeltShopField:
        '{path} is {value}, which is not a field of {entity} that the run may read; allowed: {allowed}. {hint}',

    // Edges
    repeatedEdge: '{path} joins {from} to {to} for the second time',
    noSuchStep: '{path} is {value}; no step has this key',
    circle: 'The steps {steps} lead in a circle; records must come to an end',
    branchOfOtherKind:
        '{path} is {value}; only edges that leave a ROUTE step have a branch, and "{step}" is a {kind} step',
    toItself: '{path} joins the step "{step}" to itself',
    toTrigger: '{path} leads to the trigger "{step}"; nothing comes before a trigger',
    withoutRecords:
        '{path} leads from the trigger "{from}" to the {kind} step "{to}"; a {type} trigger brings no records, so only EXTRACT steps may follow it',
    noBranch: '{path} leads from the ROUTE step "{step}" to {to} without a branch; allowed: {allowed}',
    noSuchBranch: '{path} is {value}, which is not a branch of "{step}"; allowed: {allowed}',
    misspeltBranch: '{path} is {value}, which is not a branch of "{step}"; allowed: {allowed}. {hint}',
    disabledRoute:
        '{path} is true, and edges of {count} branches leave the ROUTE step "{step}"; a disabled step passes on every record, so its edges must all be of one branch',
    noTrigger: 'No step is a TRIGGER; a pipeline needs at least one to be started by',
    leadsNowhere:
        'No edge leaves the trigger "{step}". Add an edge to an EXTRACT step. From a WEBHOOK trigger, which brings its own records, it may lead to any step',
    unreachable:
        'No trigger leads to the step "{step}", so it would never see a record; join it with an edge or remove it',
    twoWebhooks:
        'The WEBHOOK triggers "{first}" and "{second}" are both enabled, and the address of a webhook names the pipeline alone; disable all but one',
    readsAndLooksUp:
        '{path} leads from the {kind} step "{from}" to the EXTRACT step "{to}", and the {type} trigger "{trigger}" leads to both. In its runs "{to}" would have to read its whole source and also look up the records of "{from}". Remove one of the two edges',
    readsNothing:
        '{path} leads from the {kind} step "{from}" to the EXTRACT step "{to}", but runs of the {type} trigger "{trigger}" bring no records, so "{to}" would only pass on what another step has read, and read nothing itself. After other steps, an EXTRACT step needs seedMode LOOKUP, if its extractor has it; otherwise only WEBHOOK, EVENT and MESSAGE triggers may lead to it',
    watchedDisabled:
        '{path} leads from the FILE trigger "{from}" to the EXTRACT step "{to}", which is disabled, so that nothing would read the files; allowed: enabled steps of {allowed}',
    watchedByOther:
        '{path} leads from the FILE trigger "{from}" to the EXTRACT step "{to}", whose extractor {extractor} reads no files that are found elsewhere; allowed: enabled steps of {allowed}',
    watchedReason: '{path} {reason}. The FILE trigger "{from}" leads to the step',

    // References
    /** Without the value: it is often the secret itself. */
    notSecretCode: '{path} is not the code of a secret of this channel ({hint})',
    noSecret: '{path} is {value}; the channel has no secret of this code. {hint}',
    noConnection: '{path} is {value}; the channel has no connection of this code. {hint}',
    disabledSecret: '{path} is {value}; there is such a secret, but {reason}',
    disabledConnection: '{path} is {value}; there is such a connection, but {reason}',
    connectionType: '{path} is {value}, a connection of type {type}; allowed: {allowed}',
    connectionUnusable: '{path} is {value}, a connection that cannot be used: {reason}',
    connectionWith: '{path} is {value}, a connection whose {reason}',
    noFile: '{path} is {value}; the channel has no file with this id. Upload it and name its id; until then the step reads nothing',
    fileType: '{path} is {value}, the file {file}: {reason}',
    fileExpires:
        '{path} is {value}, the file {file}, which expires at {time}; runs that are started later read nothing. To keep it, upload it with persistent: true and name its new id',
    fileExpired:
        '{path} is {value}, the file {file}, which expired at {time}. Upload it again and name its new id; until then the step reads nothing',
    noConnectionType: '{path} is {value}, which is not a connection type ({hint})',
    noPipeline: '{path} is {value}; the channel has no pipeline of this code, so the hook starts nothing. {hint}',
    pipelineNotStarted: '{path} is {value}, a pipeline that the hook cannot start: {reason}',
} as const;

/** Words in such texts. */
export const ISSUE_WORDS = {
    root: 'The configuration',
    list: 'a list of {elements}',
    emptyList: 'an empty list',
    object: 'an object',
    instance: 'an object of class {class}',
    noEffect: 'has no effect {why}',
    none: 'There is none of them yet.',
    known: 'Known: {known}.',
    noScripts: 'The plugin option scripts has none.',
    permissions: 'Allowed: the permissions that a role of the shop can have.',
    branches: 'one of its branches',
    stepKey: '1 to 64 letters, digits, hyphens and underscores',
    codeOfTrigger: 'the code of a trigger',
    codeOfExtractor: 'the code of an extractor',
    codeOfLoader: 'the code of a loader',
    codeOfSink: 'the code of a sink',
    more: 'and {more} more',
} as const;
