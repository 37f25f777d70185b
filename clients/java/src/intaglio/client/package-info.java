/**
 * A client of Intaglio, the PDF generation service. Begin with {@link intaglio.client.Intaglio}.
 *
 * <p>Every failure of a call is an {@link intaglio.client.IntaglioException}, which is unchecked.
 * Arguments that cannot be sent, such as an address without a scheme, end in {@link
 * intaglio.client.InvalidArgumentException} before anything is sent.
 */
package intaglio.client;
