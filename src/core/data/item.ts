/** The field in which an element of a list that is no object stands in the record that it becomes. */
export const ITEM = '_item';
