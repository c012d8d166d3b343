/** The version of this package, as in its package.json. It is repeated here, because a bundle has no package.json, or that of the shop. */
export const FLOW_VERSION = '1.0.0-beta.1';
