import java.io.*;
import java.math.BigInteger;
import java.nio.file.*;
import java.security.*;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.*;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.pdmodel.*;
import org.apache.pdfbox.pdmodel.common.PDRectangle;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.*;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.*;
import org.bouncycastle.asn1.x509.Certificate;
import org.bouncycastle.cert.jcajce.*;
import org.bouncycastle.cms.*;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.operator.*;
import org.bouncycastle.operator.jcajce.*;

/**
 * Makes the files in files/ with PDFBox and BouncyCastle. They are made once:
 * apt-get install libbcpkix-java libpdfbox2-java; then
 * java -cp with bcprov, bcpkix, bcutil, pdfbox2, fontbox2, commons-logging of /usr/share/java
 */
public class PdfBoxSigner {
  static final Date FROM = new Date(1577836800000L);
  static final Date TO = new Date(2840140800000L);
  static final SecureRandom RANDOM = new SecureRandom();
  static KeyPair caKey;
  static X509Certificate ca;

  record Signer(PrivateKey key, X509Certificate certificate, String algorithm) {}

  static KeyPair pair(String algorithm, String curve) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (curve == null) generator.initialize(2048);
    else generator.initialize(new ECGenParameterSpec(curve));
    return generator.generateKeyPair();
  }

  static X509Certificate issue(String name, PublicKey key, boolean isCa) throws Exception {
    X500Name issuer = new X500Name("CN=Java CA");
    JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(issuer,
        new BigInteger(64, RANDOM), FROM, TO, new X500Name("CN=" + name), key);
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isCa));
    int usage = isCa ? KeyUsage.keyCertSign | KeyUsage.cRLSign : KeyUsage.digitalSignature;
    builder.addExtension(Extension.keyUsage, true, new KeyUsage(usage));
    ContentSigner signer = new JcaContentSignerBuilder("SHA256withRSA").build(caKey.getPrivate());
    return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
  }

  static byte[] cms(Signer signer, InputStream content, boolean isBer) throws Exception {
    CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
    ContentSigner contentSigner = new JcaContentSignerBuilder(signer.algorithm()).build(signer.key());
    generator.addSignerInfoGenerator(new JcaSignerInfoGeneratorBuilder(
        new JcaDigestCalculatorProviderBuilder().build()).build(contentSigner, signer.certificate()));
    generator.addCertificates(new JcaCertStore(List.of(signer.certificate(), ca)));
    CMSSignedData signed = generator.generate(new CMSProcessableByteArray(content.readAllBytes()), false);
    return isBer ? signed.getEncoded() : signed.toASN1Structure().getEncoded("DER");
  }

  static byte[] plain() throws Exception {
    try (PDDocument document = new PDDocument()) {
      PDPage page = new PDPage(PDRectangle.A4);
      document.addPage(page);
      try (PDPageContentStream content = new PDPageContentStream(document, page)) {
        content.beginText();
        content.setFont(PDType1Font.HELVETICA, 18);
        content.newLineAtOffset(72, 700);
        content.showText("Pay 100 baht");
        content.endText();
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      document.save(out);
      return out.toByteArray();
    }
  }

  static byte[] sign(byte[] file, Signer signer, boolean isBer) throws Exception {
    try (PDDocument document = PDDocument.load(file)) {
      PDSignature signature = new PDSignature();
      signature.setFilter(PDSignature.FILTER_ADOBE_PPKLITE);
      signature.setSubFilter(PDSignature.SUBFILTER_ADBE_PKCS7_DETACHED);
      signature.setName("Java");
      signature.setSignDate(Calendar.getInstance());
      SignatureOptions options = new SignatureOptions();
      options.setPreferredSignatureSize(4500);
      document.addSignature(signature, content -> {
        try {
          return cms(signer, content, isBer);
        } catch (Exception error) {
          throw new IOException(error);
        }
      }, options);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      document.saveIncremental(out);
      return out.toByteArray();
    }
  }

  static Signer signer(String name, String algorithm, String curve, String signature) throws Exception {
    KeyPair pair = pair(algorithm, curve);
    return new Signer(pair.getPrivate(), issue(name, pair.getPublic(), false), signature);
  }

  public static void main(String[] words) throws Exception {
    Path folder = Path.of(words[0]);
    caKey = pair("RSA", null);
    ca = issue("Java CA", caKey.getPublic(), true);
    String pem = Base64.getMimeEncoder(64, "\n".getBytes()).encodeToString(ca.getEncoded());
    Files.writeString(folder.resolve("java-ca.pem"),
        "-----BEGIN CERTIFICATE-----\n" + pem + "\n-----END CERTIFICATE-----\n");
    Signer rsa = signer("java-rsa", "RSA", null, "SHA256withRSA");
    Signer p256 = signer("java-p256", "EC", "secp256r1", "SHA256withECDSA");
    Signer p384 = signer("java-p384", "EC", "secp384r1", "SHA384withECDSA");
    Signer rsa512 = signer("java-rsa-sha512", "RSA", null, "SHA512withRSA");
    Signer p521 = signer("java-p521", "EC", "secp521r1", "SHA512withECDSA");
    byte[] file = plain();
    Files.write(folder.resolve("java-rsa-ber.pdf"), sign(file, rsa, true));
    Files.write(folder.resolve("java-rsa-der.pdf"), sign(file, rsa, false));
    Files.write(folder.resolve("java-p256-ber.pdf"), sign(file, p256, true));
    Files.write(folder.resolve("java-p521-ber.pdf"), sign(file, p521, true));
    Files.write(folder.resolve("java-p384-der.pdf"), sign(file, p384, false));
    Files.write(folder.resolve("java-rsa-sha512.pdf"), sign(file, rsa512, true));
    Files.write(folder.resolve("java-two-p521.pdf"), sign(sign(file, p521, false), p521, true));
    Files.write(folder.resolve("java-four.pdf"),
        sign(sign(sign(sign(file, p384, true), rsa, false), p521, false), p256, true));
    Files.write(folder.resolve("java-two.pdf"), sign(sign(file, rsa, true), p256, true));
    Files.write(folder.resolve("java-three.pdf"), sign(sign(sign(file, p521, true), p256, false), rsa, true));
  }
}
