/** An invalid request. Its message is for the user of the command line, and nothing has been written. */
export class AskedWrongly extends Error {}
