/** A request that cannot be met; its message is for whoever has typed it, and nothing has been written. */
export class AskedWrongly extends Error {}
