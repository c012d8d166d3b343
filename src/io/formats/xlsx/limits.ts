/** The last row and column that Excel knows. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
/** Characters in a cell: four times what Excel allows, since others write these files as well. */
export const MAX_CELL = 4 * 32_767;
/** Characters in all cells of a row. */
export const MAX_ROW = 4 * 1024 * 1024;
