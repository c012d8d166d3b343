/** A list element that is not an object becomes a record with the element in this field. */
export const ITEM = '_item';
