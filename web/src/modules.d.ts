declare module "*.toml?raw" {
  const text: string;
  export default text;
}
/** The worker as one classic script, made by scripts/page.mjs. */
declare module "virtual:worker" {
  const source: string;
  export default source;
}
declare module "*.css";
