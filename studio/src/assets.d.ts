declare module '*?no-inline' {
  const url: string;
  export default url;
}
