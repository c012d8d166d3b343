/** The identity of a unit of loading; the key of its marker. */
export interface LoadKey {
    readonly stepKey: string;
    readonly sourceKey: string;
    readonly batchNo: number;
    /** A batch that reaches a step on two ways visits it twice: 0, 1 … in the order of the edges. */
    readonly visit: number;
}
